{{%AUTOESCAPE context="HTML"}}<nav class="crumbs" aria-label="Where this is"><a href="rows.html">Every row</a></nav>
<h1>Rows of <bdi>{{FILE}}</bdi></h1>
<p class="lead">Lines {{FIRST}} to {{LAST}}: {{ROWS}} of them. A row stays on its page, so its address can be cited.</p>
<div class="rows">
{{BODY:none}}
</div>
