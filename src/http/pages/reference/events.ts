import type { AsyncApiDocument, ChannelObject, MessageObject } from '../../asyncapi/types.ts';
import { answerTable } from './answer-table.ts';
import { html, nothing, paragraphs, prose, type Html } from './html.ts';
import { resolveIn, schemaRows } from './schema-rows.ts';

export interface EventSection {
  readonly id: string;
  readonly channel: ChannelObject;
  readonly messages: readonly ShownMessage[];
}

interface ShownMessage {
  readonly id: string;
  readonly message: MessageObject;
  readonly document: AsyncApiDocument;
}

/** The channels of the document with their messages. */
export function sectionsOf(document: AsyncApiDocument): EventSection[] {
  return Object.entries(document.channels).map(([name, channel]) => ({
    id: `events-${name}`,
    channel,
    messages: Object.keys(channel.messages).flatMap((key) => {
      const message = document.components.messages[key];
      return message === undefined ? [] : [{ id: `event-${key}`, message, document }];
    }),
  }));
}

export function eventsNavigation(sections: readonly EventSection[]): Html {
  return html`${sections.map(
    ({ id, channel, messages }) =>
      html`<p><a href="#${id}">Events: ${channel.title}</a></p>
        <ul>
          ${messages.map((shown) => html`<li><a href="#${shown.id}">${shown.message.name}</a></li>`)}
        </ul>`,
  )}`;
}

export function eventsSection(sections: readonly EventSection[]): Html {
  const [first] = sections;
  if (first === undefined) return nothing;
  return html`${sections.map(
    ({ id, channel, messages }) =>
      html`<section id="${id}">
        <h2>Events: ${channel.title}</h2>
        <p><code>${channel.address}</code></p>
        <p>${prose(channel.description)}</p>
        ${messages.map(messageMarkup)}
      </section>`,
  )}`;
}

export function messageMarkup({ id, message, document }: ShownMessage): Html {
  const rows = schemaRows(message.payload, resolveIn(document.components.schemas)).filter(
    ({ name }) => name !== 'type',
  );
  const replayable = message['x-replayable'];
  return html`<article id="${id}">
    <h3><a href="#${id}">${message.summary}</a></h3>
    <p class="request"><code>${message.name}</code></p>
    ${message.description === undefined ? nothing : paragraphs(message.description)}
    ${
      replayable === undefined
        ? nothing
        : html`<p>${replayable ? 'Stored for a while, and sent again to clients that resume.' : 'Not stored.'}</p>`
    }
    ${rows.length === 0 ? nothing : answerTable(rows)}
    <h4>Example</h4>
    <pre><code>${JSON.stringify(message.examples[0]?.payload, null, 2)}</code></pre>
  </article>`;
}
