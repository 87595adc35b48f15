/** The style sheet of booking pages. It contains no address, so it loads nothing. */
export const style = `:root {
  color-scheme: light dark;
  --ink: #1c2024;
  --faint: #565b63;
  --paper: #ffffff;
  --raised: #f4f5f7;
  --line: #868d96;
  --link: #0b5cad;
  --on-link: #ffffff;
  --bad: #b42318;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #e6e8eb;
    --faint: #a9afb8;
    --paper: #15181c;
    --raised: #1e2227;
    --line: #7b838d;
    --link: #7ab8ff;
    --on-link: #10141a;
    --bad: #ff9b93;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
header, main, footer { max-width: 46rem; margin: 0 auto; padding: 1rem clamp(1rem, 4vw, 2rem); }
main { padding-bottom: 4rem; }
footer { color: var(--faint); font-size: 0.875rem; border-top: 1px solid var(--line); }
a { color: var(--link); }
a:focus-visible, input:focus-visible, select:focus-visible, textarea:focus-visible, button:focus-visible, [tabindex]:focus-visible {
  outline: 3px solid var(--link);
  outline-offset: 2px;
}
.skip { position: absolute; left: -100vw; }
.skip:focus { left: 1rem; top: 1rem; padding: 0.5rem; background: var(--paper); }
h1 { margin: 0.5rem 0; line-height: 1.2; font-size: 1.75rem; }
h2 { margin: 2rem 0 0.5rem; line-height: 1.3; font-size: 1.3rem; }
h3 { margin: 1.25rem 0 0.4rem; font-size: 1.05rem; }
.faint { color: var(--faint); }
.text { white-space: pre-line; }
ul.plain { list-style: none; margin: 0; padding: 0; }
ul.kinds > li { margin: 0.75rem 0; padding: 1rem; border: 1px solid var(--line); border-radius: 0.5rem; }
ul.kinds h2 { margin: 0; }
ul.times { display: grid; grid-template-columns: repeat(auto-fill, minmax(7rem, 1fr)); gap: 0.5rem; }
ul.times a, .button, button {
  display: inline-block;
  min-height: 2.75rem;
  padding: 0.55rem 1rem;
  border: 1px solid var(--link);
  border-radius: 0.4rem;
  background: var(--paper);
  color: var(--link);
  font: inherit;
  text-align: center;
  text-decoration: none;
  cursor: pointer;
}
ul.times a { display: block; padding: 0.55rem 0.25rem; }
ul.times a:hover, .button:hover { background: var(--raised); }
button { background: var(--link); color: var(--on-link); font-weight: 600; }
.row { display: flex; flex-wrap: wrap; gap: 0.75rem; align-items: end; margin: 1rem 0; }
.row > * { margin: 0; }
.field { margin: 1.1rem 0; }
label, legend { display: block; margin-bottom: 0.25rem; font-weight: 600; }
input, select, textarea {
  width: 100%;
  max-width: 100%;
  min-height: 2.75rem;
  padding: 0.5rem 0.6rem;
  border: 1px solid var(--line);
  border-radius: 0.4rem;
  background: var(--paper);
  color: inherit;
  font: inherit;
}
textarea { min-height: 6rem; }
input[type='checkbox'] { width: 1.4rem; min-height: 1.4rem; margin: 0 0.6rem 0 0; vertical-align: middle; }
.check label { display: inline; font-weight: 400; }
[aria-invalid='true'] { border-color: var(--bad); border-width: 2px; }
.error { margin: 0.25rem 0 0; color: var(--bad); }
.notice { margin: 1rem 0; padding: 0.75rem 1rem; border: 2px solid var(--line); border-radius: 0.5rem; background: var(--raised); }
.notice.bad { border-color: var(--bad); }
.notice h2 { margin: 0 0 0.25rem; font-size: 1.1rem; }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0.35rem 1.25rem; }
dt { color: var(--faint); }
dd { margin: 0; }
.trap { position: absolute; left: -100vw; width: 1px; height: 1px; overflow: hidden; }
@media (max-width: 30rem) {
  dl { grid-template-columns: 1fr; gap: 0; }
  dd { margin-bottom: 0.6rem; }
  button, .button { width: 100%; }
  .row .button { flex: 1; width: auto; }
}
`;
