import { bookingPages } from '../../../contract/booking-page.ts';
import { reference } from '../../../contract/reference.ts';
import { html, nothing, type Html } from '../reference/html.ts';

interface Page {
  readonly title: string;
  readonly main: Html;
}

/** The parts that every booking page has. */
export function layout({ title, main }: Page): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>${title}</title>
        <link rel="icon" href="${reference.icon.path}" />
        <link rel="stylesheet" href="${bookingPages.style.path}" />
      </head>
      <body>
        <a class="skip" href="#start">To the text</a>
        <main id="start" tabindex="-1">${main}</main>
        <footer><p>This page is made by Conclave. It uses no scripts and no cookies.</p></footer>
      </body>
    </html> `.markup;
}

/** What went wrong, or was done, before everything else on the page. */
export function notice(title: string, text: Html | string, kind: 'bad' | 'good' = 'bad'): Html {
  const role = kind === 'bad' ? 'alert' : 'status';
  return html`<div class="notice ${kind}" role="${role}">
    <h2>${title}</h2>
    ${typeof text === 'string' ? html`<p>${text}</p>` : text}
  </div>`;
}

/** Text of somebody with its lines. */
export function paragraph(text: string | undefined): Html {
  return text === undefined || text === '' ? nothing : html`<p class="text">${text}</p>`;
}

/** A page that says that something is not possible. */
export function problemPage(title: string, text: string): string {
  return layout({
    title,
    main: html`<h1>${title}</h1>
      <p>${text}</p>`,
  });
}
