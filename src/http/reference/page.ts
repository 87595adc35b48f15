import type { OpenApiDocument, OperationObject } from '../openapi/types.ts';
import { article } from './article.ts';
import { html, paragraphs, prose, type Html } from './html.ts';

interface Places {
  readonly document: string;
  readonly style: string;
}

interface Listed {
  readonly method: string;
  readonly path: string;
  readonly op: OperationObject;
}

/** The document as a page that needs nothing but its style sheet. */
export function page(document: OpenApiDocument, places: Places): string {
  const topics = document.tags.map((tag) => ({
    ...tag,
    id: slug(tag.name),
    operations: operationsOf(document, tag.name),
  }));
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${document.info.title} ${document.info.version}: reference</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="${places.style}" />
      </head>
      <body>
        <a class="skip" href="#start">To the reference</a>
        <nav aria-label="Operations">
          <p class="title">${document.info.title} <span class="status">${document.info.version}</span></p>
          ${topics.map(
            (topic) =>
              html`<p><a href="#${topic.id}">${topic.name}</a></p>
                <ul>
                  ${topic.operations.map(navigationEntry)}
                </ul>`,
          )}
        </nav>
        <main id="start">
          <h1>${document.info.title}: reference</h1>
          ${paragraphs(document.info.description)}
          <p>
            ${prose('The examples expect `CONCLAVE_SERVER` (such as `http://127.0.0.1:7878`), `CONCLAVE_TOKEN` and, for the control socket, `CONCLAVE_DATA_DIR` in the environment.')}
          </p>
          <p>For programs there is <a href="${places.document}">the OpenAPI document</a>.</p>
          ${topics.map(
            (topic) =>
              html`<section id="${topic.id}">
                <h2>${topic.name}</h2>
                <p>${topic.description}</p>
                ${topic.operations.map(({ method, path, op }) => article(document, method, path, op))}
              </section>`,
          )}
        </main>
      </body>
    </html> `.markup;
}

function operationsOf(document: OpenApiDocument, tag: string): Listed[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, op]) => op.tags.includes(tag))
      .map(([method, op]) => ({ method, path, op })),
  );
}

function navigationEntry({ method, op }: Listed): Html {
  return html`<li>
    <a href="#${op.operationId}"><span class="method ${method}">${method.toUpperCase()}</span> ${op.summary}</a>
  </li>`;
}

function slug(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
}
