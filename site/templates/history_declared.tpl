{{%AUTOESCAPE context="HTML"}}<section class="series">
<h2><bdi>{{SERIES}}</bdi></h2>
<p>{{ABOUT}} <span class="tag">no row yet</span></p>
</section>
