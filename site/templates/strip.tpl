{{%AUTOESCAPE context="HTML"}}<figure class="strip-box">
<p class="huge">{{VALUE:none}}</p>
{{STRIP:none}}
<figcaption><b>{{TITLE}}</b> <bdi>{{CONFIGURATION}}</bdi>. Each stroke is one of {{N}} samples, in the order in which they were taken; those that stand out are beyond the p95. <a href="{{HREF}}">The row</a></figcaption>
</figure>
