{{%AUTOESCAPE context="HTML"}}<article class="row" id="r-{{ID}}">
<h2><a href="{{HISTORY}}"><bdi>{{SERIES}}</bdi></a> <small><bdi>{{CONFIGURATION}}</bdi></small></h2>
<p class="tags"><span class="tag {{LABEL}}">{{LABEL}}</span>{{#DIRTY}} <span class="tag doubt">dirty tree: something differed from the commit</span>{{/DIRTY}}{{#FAILED}} <span class="tag doubt">{{FAILURES}} tries failed</span>{{/FAILED}}{{#IMPORTED}} <span class="tag">imported from <bdi>{{ORIGIN}}</bdi></span>{{/IMPORTED}} <time>{{DATE}}</time> <a class="self" href="#r-{{ID}}">this row</a></p>
{{#CITED}}<p>Read in <bdi>{{CITATION}}</bdi>, and not measured here.</p>{{/CITED}}
{{#SUSPECTED}}<p>Suspected: <bdi>{{HYPOTHESIS}}</bdi>. To be tested so: <bdi>{{PLAN}}</bdi>.</p>{{/SUSPECTED}}
<div class="numbers">
<p class="big">{{P50}} <small>p50 of {{N}}, {{DIRECTION}} is better</small></p>
{{SHAPE:none}}
<dl><div><dt>min</dt><dd>{{MIN}}</dd></div><div><dt>mean</dt><dd>{{MEAN}}</dd></div><div><dt>p95</dt><dd>{{P95}}</dd></div><div><dt>p99</dt><dd>{{P99}}</dd></div><div><dt>max</dt><dd>{{MAX}}</dd></div></dl>
</div>
<details><summary>Where it comes from</summary>
<dl class="facts">
<dt>instrument</dt><dd><bdi>{{INSTRUMENT}}</bdi>{{#BINARY_KNOWN}}<br>binary <code>{{BINARY}}</code>{{/BINARY_KNOWN}}{{#HARNESS_KNOWN}}<br>harness <code>{{HARNESS}}</code>{{/HARNESS_KNOWN}}</dd>
<dt>device</dt><dd><bdi>{{PROCESSOR}}</bdi>, {{CORES}} cores, <bdi>{{MEMORY}}</bdi>, kernel <bdi>{{KERNEL}}</bdi>, virtualization <bdi>{{VIRTUALIZATION}}</bdi> <code>{{DEVICE}}</code></dd>
<dt>commit</dt><dd><code>{{COMMIT}}</code></dd>
<dt>run</dt><dd><code>{{RUN}}</code></dd>
{{#LOAD}}<dt>load</dt><dd>{{BEFORE}} before, {{AFTER}} after</dd>{{/LOAD}}
{{#CLOCK}}<dt>clock</dt><dd>{{BEFORE}} MHz before, {{AFTER}} MHz after</dd>{{/CLOCK}}
<dt>p50, exactly</dt><dd>{{EXACT}}</dd>
<dt>line</dt><dd>{{LINE}} <code>{{ID}}</code></dd>
</dl>
</details>
</article>
