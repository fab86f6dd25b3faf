{{%AUTOESCAPE context="HTML"}}<h1>Every row</h1>
{{#EMPTY}}<p class="lead">The ledger has no row yet. A harness writes one when it is run with <code>--record</code>.</p>{{/EMPTY}}
{{#SOME}}<p class="lead">{{ROWS}} rows, in the order of the ledger's lines. Lines are only ever added, so a row never moves.</p>
<div class="scroll" tabindex="0" role="region" aria-label="Pages of rows">
<table>
<caption>Pages of rows</caption>
<thead><tr><th scope="col">file</th><th scope="col">lines</th><th scope="col" class="n">rows</th><th scope="col">from</th><th scope="col">to</th></tr></thead>
<tbody>
{{#PAGE}}<tr><th scope="row"><bdi>{{FILE}}</bdi></th><td><a href="{{HREF}}">{{FIRST}} to {{LAST}}</a></td><td class="n">{{COUNT}}</td><td>{{FROM}}</td><td>{{TO}}</td></tr>
{{/PAGE}}
</tbody>
</table>
</div>{{/SOME}}
<p class="turn">{{#PREVIOUS}}<a rel="prev" href="{{HREF}}">Before</a>{{/PREVIOUS}} {{#NEXT}}<a rel="next" href="{{HREF}}">More</a>{{/NEXT}}</p>
