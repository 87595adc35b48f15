import { reference } from '../../contract/reference.ts';
import { html, type Html } from './html.ts';

interface Framed {
  readonly title: string;
  /** what whoever can't see the navigation goes past it to */
  readonly skip: string;
  /** what the navigation leads to */
  readonly label: string;
  readonly navigation: Html;
  readonly main: Html;
}

/** What every page for people is: a head, a navigation and the text. */
export function frame({ title, skip, label, navigation, main }: Framed): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        <link rel="icon" href="${reference.icon.path}" />
        <link rel="stylesheet" href="${reference.style.path}" />
      </head>
      <body>
        <a class="skip" href="#start">${skip}</a>
        <nav aria-label="${label}">${navigation}</nav>
        <main id="start">${main}</main>
      </body>
    </html> `.markup;
}
