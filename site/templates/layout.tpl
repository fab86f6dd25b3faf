{{%AUTOESCAPE context="HTML"}}<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<meta name="description" content="{{ABOUT}}">
<title>{{TITLE}} · {{SITE}}</title>
<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Cpath d='M4 27h24M7 27v-7M13 27V17M19 27V14M25 27v-9' stroke='%23d9480f' stroke-width='3' stroke-linecap='round'/%3E%3Ccircle cx='19' cy='7' r='4' fill='%23d9480f'/%3E%3C/svg%3E">
<style>
@STYLE@
</style>
</head>
<body>
<a class="skip" href="#main">Skip to the page</a>
<header class="top">
<a class="brand" href="index.html">
<svg viewBox="0 0 32 32" aria-hidden="true"><path d="M4 28h24M7 28v-7M13 28V18M19 28V15M25 28v-9"/><circle cx="19" cy="7.5" r="4"/></svg>
<span>{{SITE}}</span>
</a>
<nav aria-label="Pages">
<ul>
{{#NAVIGATION}}<li><a href="{{HREF}}"{{#HERE}} aria-current="page"{{/HERE}}>{{TEXT}}</a></li>
{{/NAVIGATION}}
</ul>
</nav>
</header>
<div class="beats" aria-hidden="true"></div>
<main id="main"{{#WIDE}} class="wide-page"{{/WIDE}}>
{{BODY:none}}
</main>
<footer>
<div class="beats" aria-hidden="true"></div>
<p><b>{{SITE}}.</b> {{TAGLINE}}</p>
<p>No figure here was typed: each is a reference to <a href="rows.html">a row of the ledger</a>, which the instrument that measured it wrote. This page asks nothing of any network.</p>
</footer>
</body>
</html>
