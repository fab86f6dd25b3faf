{{%AUTOESCAPE context="HTML"}}<div class="scroll" tabindex="0" role="region" aria-label="Comparison by {{BY}}">
<table class="comparison">
<caption>{{STATISTIC}} by {{BY}}{{#RATIOS}}; the ratio is {{SECOND}} by {{FIRST}}, of one run{{/RATIOS}}</caption>
<thead><tr><th scope="col">{{BY}}</th>{{#COLUMN}}<th scope="col" class="n" title="{{SERIES}}">{{TITLE}}</th>{{/COLUMN}}{{#RATIOS}}<th scope="col" class="n">ratio</th><th scope="col" class="bars">side by side</th>{{/RATIOS}}</tr></thead>
<tbody>
{{#LINE}}<tr><th scope="row"><bdi>{{VALUE}}</bdi></th>{{#CELL}}<td class="n">{{HTML:none}}</td>{{/CELL}}{{#RATIO}}<td class="n ratio">{{HTML:none}}</td><td class="bars">{{BARS:none}}</td>{{/RATIO}}</tr>
{{/LINE}}
</tbody>
</table>
</div>
{{#MIXED}}<p class="note">Where it says “two runs”, no one run has both, and a ratio across runs would say nothing.</p>{{/MIXED}}
