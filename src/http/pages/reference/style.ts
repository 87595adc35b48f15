/** The style sheet of the page. It contains no address, so it loads nothing. */
export const style = `:root {
  color-scheme: light dark;
  --ink: #1c2024;
  --faint: #60646c;
  --paper: #ffffff;
  --raised: #f4f5f7;
  --line: #d9dce1;
  --link: #0b5cad;
  --get: #0b5cad;
  --post: #1a7f37;
  --put: #9a6700;
  --delete: #b42318;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #e6e8eb;
    --faint: #a0a6ae;
    --paper: #15181c;
    --raised: #1e2227;
    --line: #343a42;
    --link: #7ab8ff;
    --get: #7ab8ff;
    --post: #6bd08a;
    --put: #e3b341;
    --delete: #ff8b82;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0;
  display: grid;
  grid-template-columns: 19rem minmax(0, 1fr);
  background: var(--paper);
  color: var(--ink);
  font: 1rem/1.55 system-ui, sans-serif;
}
a { color: var(--link); }
a:focus-visible, summary:focus-visible, input:focus-visible, button:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -100vw; }
.skip:focus { left: 1rem; top: 1rem; padding: 0.5rem; background: var(--paper); }
nav {
  position: sticky;
  top: 0;
  height: 100vh;
  overflow-y: auto;
  padding: 1.5rem 1rem;
  border-right: 1px solid var(--line);
  background: var(--raised);
  font-size: 0.875rem;
}
form { display: grid; grid-template-columns: 1fr auto; gap: 0.25rem 0.4rem; margin: 1rem 0; }
label { grid-column: 1 / -1; color: var(--faint); }
input, button {
  min-width: 0;
  padding: 0.3rem 0.5rem;
  border: 1px solid var(--line);
  border-radius: 0.3rem;
  background: var(--paper);
  color: inherit;
  font: inherit;
}
button { cursor: pointer; }
nav p { margin: 1rem 0 0.25rem; font-weight: 600; }
nav p a { color: inherit; text-decoration: none; }
nav .title { margin-top: 0; font-size: 1.125rem; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav li a { display: block; padding: 0.15rem 0; text-decoration: none; color: inherit; }
nav li a:hover { color: var(--link); }
main { padding: 2rem clamp(1rem, 4vw, 4rem) 6rem; max-width: 70rem; }
h1 { margin-top: 0; line-height: 1.2; }
h2 { margin-top: 3.5rem; padding-bottom: 0.3rem; border-bottom: 1px solid var(--line); }
main > h3 { margin-top: 2rem; }
h3 { margin: 0 0 0.25rem; font-size: 1.15rem; }
h3 a { color: inherit; text-decoration: none; }
h4 { margin: 1.25rem 0 0.4rem; font-size: 0.95rem; }
article { margin: 2rem 0; padding-top: 1.5rem; border-top: 1px solid var(--line); scroll-margin-top: 1rem; }
article:target h3 { text-decoration: underline; }
.request { margin: 0 0 0.5rem; overflow-wrap: anywhere; }
.method { font: 600 0.75rem/1 ui-monospace, monospace; }
.get { color: var(--get); }
.post { color: var(--post); }
.put, .patch { color: var(--put); }
.delete { color: var(--delete); }
.required { color: var(--delete); font-size: 0.75rem; font-weight: 400; }
.status { color: var(--faint); font-weight: 400; }
code { font: 0.875em ui-monospace, monospace; overflow-wrap: anywhere; }
pre { margin: 0; padding: 0.9rem 1rem; overflow-x: auto; border-radius: 0.4rem; background: var(--raised); }
pre code { overflow-wrap: normal; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.15rem 1rem; margin: 0.75rem 0; font-size: 0.9rem; }
dt { color: var(--faint); }
dd { margin: 0; }
.scroll { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-size: 0.9rem; }
th, td { padding: 0.35rem 0.75rem 0.35rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
thead th { color: var(--faint); font-weight: 400; }
tbody th { font-weight: 400; }
details { margin-top: 1.25rem; }
summary { cursor: pointer; font-size: 0.95rem; font-weight: 600; }
@media (max-width: 55rem) {
  body { display: block; }
  nav { position: static; height: auto; max-height: 40vh; border-right: 0; border-bottom: 1px solid var(--line); }
}
@media print {
  body { display: block; }
  nav { display: none; }
}
`;
