{{%AUTOESCAPE context="HTML"}}<nav class="crumbs" aria-label="Where this is"><a href="history.html">History</a></nav>
<h1><bdi>{{NAME:none}}</bdi></h1>
{{#SAID}}<p class="lead">{{TEXT}}</p>{{/SAID}}
<p class="tags">{{#CONFIGURATION}}<span class="tag"><bdi>{{KEY}} {{VALUE}}</bdi></span> {{/CONFIGURATION}}</p>
<p>{{COUNT}} {{#ONE_ROW}}row{{/ONE_ROW}}{{#MANY_ROWS}}rows{{/MANY_ROWS}}, all of one device: <bdi>{{PROCESSOR}}</bdi>, {{CORES}} cores, <bdi>{{MEMORY}}</bdi>, kernel <bdi>{{KERNEL}}</bdi>, virtualization <bdi>{{VIRTUALIZATION}}</bdi>.</p>
<figure class="plot-box">
{{PLOT:none}}
<figcaption>The line is the median of each row, the strokes reach from its lowest sample to its p95. A cross at the edge has no value: more tries failed than gave a sample.{{#REDUCED}} Neighbours share a mark here.{{/REDUCED}}</figcaption>
</figure>
<h2>Where it changed</h2>
{{#STEADY}}<p>Nowhere that the rows show: change points need rows before and after them.</p>{{/STEADY}}
{{#CHANGED}}<ul class="changes">
{{#CHANGE}}<li class="{{KIND}}"><a href="{{HREF}}"><time>{{DATE}}</time></a>: from {{BEFORE}} to {{AFTER}}, {{BY}} {{WAY}}, which is {{KIND}}.</li>
{{/CHANGE}}
</ul>{{#MORE_CHANGES}}<p class="note">And {{LEFT}} before them.</p>{{/MORE_CHANGES}}{{/CHANGED}}
<h2>The plot as figures</h2>
<div class="scroll" tabindex="0" role="region" aria-label="The plot as figures">
<table>
<caption>The marks of the plot, newest first</caption>
<thead><tr><th scope="col">date</th><th scope="col" class="n">p50</th><th scope="col" class="n">min</th><th scope="col" class="n">p95</th><th scope="col" class="n">samples</th><th scope="col">row</th></tr></thead>
<tbody>
{{#MARK}}<tr><th scope="row"><time>{{DATE}}</time></th>{{#VALUE}}<td class="n">{{P50}}</td><td class="n">{{LOW}}</td><td class="n">{{HIGH}}</td>{{/VALUE}}{{#MISSING}}<td class="n none">no value</td><td></td><td></td>{{/MISSING}}<td class="n">{{N}}</td><td>{{#ONE}}<a href="{{HREF}}">row</a>{{/ONE}}{{#SEVERAL}}{{ROWS}} rows{{/SEVERAL}}{{#FAILED}} <span class="tag doubt">{{FAILURES}} failed</span>{{/FAILED}}{{#DIRTY}} <span class="tag doubt">dirty tree</span>{{/DIRTY}}</td></tr>
{{/MARK}}
</tbody>
</table>
</div>
{{#OTHERS}}<h2>The same series elsewhere</h2>
<ul class="links">
{{#OTHER}}<li><a href="{{HREF}}"><bdi>{{TEXT}}</bdi></a>{{#ELSEWHERE}} on <bdi>{{DEVICE}}</bdi>{{/ELSEWHERE}}</li>
{{/OTHER}}
</ul>{{/OTHERS}}
