import { reference } from '../../../contract/reference.ts';
import { html, type Html } from './html.ts';

interface Framed {
  readonly title: string;
  /** text of the link that jumps past the navigation, for readers who can't see it */
  readonly skip: string;
  /** label of the navigation for screen readers */
  readonly label: string;
  readonly navigation: Html;
  readonly main: Html;
}

/** The parts that every page for people has: a head, a navigation and the text. */
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
