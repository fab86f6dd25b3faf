{{%AUTOESCAPE context="HTML"}}<section class="series">
<h2><bdi>{{SERIES}}</bdi></h2>
{{#SAID}}<p>{{TEXT}}</p>{{/SAID}}
<div class="scroll" tabindex="0" role="region" aria-label="Histories of {{SERIES}}">
<table>
<caption class="hidden">Histories of {{SERIES}}</caption>
<thead><tr><th scope="col">configuration</th><th scope="col" class="n">last p50</th><th scope="col">on</th><th scope="col" class="n">rows</th><th scope="col">device</th></tr></thead>
<tbody>
{{#TIMELINE}}<tr><th scope="row"><a href="{{HREF}}"><bdi>{{CONFIGURATION}}</bdi></a></th><td class="n"><a href="{{LAST_HREF}}">{{LAST}}</a>{{#DIRTY}} <span class="tag doubt">dirty tree</span>{{/DIRTY}}</td><td>{{DATE}}</td><td class="n">{{ROWS}}</td><td><bdi title="{{DEVICE_ID}}">{{DEVICE}}</bdi></td></tr>
{{/TIMELINE}}
</tbody>
</table>
</div>
</section>
