import { reference } from '../../contract/reference.ts';
import { html, type Html } from './html.ts';
import type { Guide } from './guides.ts';

export function guidePath(name: string): string {
  return reference.guide.path.replace(':name', name);
}

/** What pages for people share: their head, and the list of the guides. */
export function shell(title: string, guides: readonly Guide[], body: Html): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title === 'Conclave' ? title : `${title}: Conclave`}</title>
        <link rel="icon" href="${reference.icon.path}" />
        <link rel="stylesheet" href="${reference.style.path}" />
      </head>
      <body>
        <a class="skip" href="#start">To the text</a>
        <nav aria-label="Pages">
          <p class="title"><a href="${reference.welcome.path}">Conclave</a></p>
          ${guides.length === 0 ? html`` : html`<p>Guides</p>`}
          <ul>
            ${guides.map(({ name, title: text }) => html`<li><a href="${guidePath(name)}">${text}</a></li>`)}
          </ul>
          <p>The interface</p>
          <ul>
            <li><a href="${reference.page.path}">Reference</a></li>
            <li><a href="${reference.document.path}">OpenAPI document</a></li>
          </ul>
        </nav>
        <main id="start">${body}</main>
      </body>
    </html> `.markup;
}
