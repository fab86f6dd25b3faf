{{%AUTOESCAPE context="HTML"}}{{#EMPTY}}<p class="note">The ledger has no row yet. A harness writes one when it is run with <code>--record</code>.</p>{{/EMPTY}}
{{#SOME}}<p>{{ROWS}} rows in {{HISTORIES}} histories, of {{DEVICES}} devices.</p>
<div class="scroll" tabindex="0" role="region" aria-label="The newest rows">
<table>
<caption>The newest row of each history</caption>
<thead><tr><th scope="col">series</th><th scope="col">configuration</th><th scope="col" class="n">p50</th><th scope="col" class="n">p95</th><th scope="col">on</th></tr></thead>
<tbody>
{{#TIMELINE}}<tr><th scope="row"><a href="{{HREF}}"><bdi>{{SERIES}}</bdi></a></th><td><bdi>{{CONFIGURATION}}</bdi></td><td class="n">{{VALUE:none}}</td><td class="n">{{HIGH}}</td><td>{{DATE}}</td></tr>
{{/TIMELINE}}
</tbody>
</table>
</div>{{/SOME}}
