{{%AUTOESCAPE context="HTML"}}<h1>History</h1>
{{#SOME}}<p class="lead">{{COUNT}} histories. Each is of one series, one configuration and one device, since nothing else can be compared over time.</p>{{/SOME}}
{{#EMPTY}}<p class="lead">The ledger has no row yet. What is declared is listed here.</p>{{/EMPTY}}
{{BODY:none}}
<p class="turn">{{#PREVIOUS}}<a rel="prev" href="{{HREF}}">Before</a>{{/PREVIOUS}} {{#NEXT}}<a rel="next" href="{{HREF}}">More</a>{{/NEXT}}</p>
