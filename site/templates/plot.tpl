{{%AUTOESCAPE context="HTML"}}<figure class="plot-box">
{{PLOT:none}}
<figcaption><b>{{TITLE}}</b> <bdi>{{CONFIGURATION}}</bdi>. The line is the median of each row, the strokes reach from its lowest sample to its p95. <a href="{{HREF}}">The figures, and where it changed</a></figcaption>
</figure>
