import type { AsyncApiDocument } from '../../asyncapi/types.ts';
import type { OpenApiDocument, OperationObject } from '../../openapi/types.ts';
import { article } from './article.ts';
import { eventsNavigation, eventsSection, messageMarkup, sectionsOf } from './events.ts';
import { frame } from './frame.ts';
import { html, paragraphs, prose, type Html } from './html.ts';

interface Places {
  readonly welcome: string;
  readonly document: string;
  readonly page: string;
  readonly events: string;
}

interface Listed {
  readonly method: string;
  readonly path: string;
  readonly op: OperationObject;
}

/**
 * The document as a page that needs only its style sheet.
 *
 * @param words an operation must contain all of them to be shown; an empty text shows all operations
 */
export function page(document: OpenApiDocument, events: AsyncApiDocument, places: Places, words: string): string {
  const topics = document.tags
    .map((tag) => ({
      ...tag,
      id: slug(tag.name),
      operations: operationsOf(document, tag.name).filter((listed) => hasWords(document, listed, words)),
    }))
    .filter(({ operations }) => words === '' || operations.length > 0);
  const sections = sectionsOf(events).map(({ messages, ...section }) => {
    const named = messages.filter((message) => hasAll(messageMarkup(message).markup, words));
    return Object.assign(section, { messages: named });
  });
  const shown = sections.filter(({ messages }) => messages.length > 0);
  const { title, version } = document.info;
  const navigation = html`<p class="title">
      <a href="${places.welcome}">${title}</a> <span class="status">${version}</span>
    </p>
    <form action="${places.page}" role="search">
      <label for="q">Search</label>
      <input id="q" name="q" type="search" value="${words}" maxlength="100" />
      <button>Search</button>
    </form>
    ${topics.map(
      (topic) =>
        html`<p><a href="#${topic.id}">${topic.name}</a></p>
          <ul>
            ${topic.operations.map(navigationEntry)}
          </ul>`,
    )}
    ${eventsNavigation(shown)}`;
  const main = html`<h1>${title}: reference</h1>
    ${words === '' ? introduction(document, places) : found(topics, shown, places, words)}
    ${topics.map(
      (topic) =>
        html`<section id="${topic.id}">
          <h2>${topic.name}</h2>
          <p>${topic.description}</p>
          ${topic.operations.map(({ method, path, op }) => article(document, method, path, op))}
        </section>`,
    )}
    ${eventsSection(shown)}`;
  return frame({
    title: `${title} ${version}: reference`,
    skip: 'To the reference',
    label: 'Operations',
    navigation,
    main,
  });
}

function introduction(document: OpenApiDocument, places: Places): Html {
  return html`${paragraphs(document.info.description)}
    <p>
      ${prose('The examples expect `CONCLAVE_SERVER` (such as `http://127.0.0.1:7878`) and `CONCLAVE_TOKEN` in the environment.')}
    </p>
    <p>
      For programs there is <a href="${places.document}">the OpenAPI document</a>, and
      <a href="${places.events}">the AsyncAPI document</a> of what goes over sockets.
    </p>`;
}

function found(
  topics: readonly { readonly operations: readonly Listed[] }[],
  sections: readonly { readonly messages: readonly unknown[] }[],
  places: Places,
  words: string,
): Html {
  const count = topics.reduce((sum, { operations }) => sum + operations.length, 0);
  const operations = count === 1 ? '1 operation has' : `${count === 0 ? 'No' : count} operations have`;
  const frames = sections.reduce((sum, { messages }) => sum + messages.length, 0);
  const sockets = frames === 0 ? '' : `, and so ${frames === 1 ? 'does 1 frame' : `do ${frames} frames`} of sockets`;
  return html`<p>${operations} “${words}”${sockets}. <a href="${places.page}">Show all of them</a>.</p>`;
}

/** Whether the words are in the operation's name, address, description, fields or error codes. */
function hasWords(document: OpenApiDocument, { method, path, op }: Listed, words: string): boolean {
  return words === '' || hasAll(`${method} ${path} ${article(document, method, path, op).markup}`, words);
}

function hasAll(markup: string, words: string): boolean {
  if (words === '') return true;
  const text = markup.replaceAll(/<[^>]*>/g, ' ').toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(html`${word}`.markup));
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
