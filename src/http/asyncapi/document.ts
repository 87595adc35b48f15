import type { Topic } from '../../contract/all.ts';
import type { ClientFrame, Event, EventTopic, ServerFrame } from '../../contract/event.ts';
import { clientFrames, serverFrames } from '../../contract/realtime/frames.ts';
import { openSchemas, type Schemas } from '../openapi/components.ts';
import { exampleOf } from '../openapi/example.ts';
import { inputJsonSchema, replyJsonSchema } from '../openapi/json-schema.ts';
import type { Json } from '../openapi/types.ts';
import { introduction } from './introduction.ts';
import type { AsyncApiDocument, ChannelObject, MessageObject } from './types.ts';

type Service = Pick<Topic, 'events' | 'frames'>;

const socketChannel = 'socket';

/**
 * The messages on sockets, as an AsyncAPI 3 document: one channel for the socket itself and one for the topics of each kind.
 *
 * @throws Error when two events or frames have the same name
 */
export function asyncApiDocument(services: readonly Service[], version: string): AsyncApiDocument {
  const schemas = openSchemas();
  const messages = new Map<string, MessageObject>();
  const add = (one: MessageObject): void => {
    if (messages.has(keyOf(one.name))) throw new Error(`${one.name}: declared twice`);
    messages.set(keyOf(one.name), one);
  };
  const events = services.flatMap((service) => Object.values(service.events ?? {}));
  const sent = [...Object.values(clientFrames), ...services.flatMap((service) => Object.values(service.frames ?? {}))];
  const answers = new Set<ServerFrame>([...Object.values(serverFrames), ...sent.flatMap(({ answer }) => answer ?? [])]);
  for (const frame of sent) add(clientMessage(frame, schemas));
  for (const frame of answers) add(serverMessage(frame, schemas));
  for (const one of events) add(eventMessage(one, schemas));
  const kinds = new Map<string, EventTopic>(events.map(({ topic }) => [topic.kind, topic]));
  const channels: Record<string, ChannelObject> = {
    [socketChannel]: {
      address: '/ws',
      title: 'The socket',
      description: 'Frames about the socket and its topics.',
      messages: referencesTo([...sent, ...answers].map(({ type }) => type)),
    },
  };
  for (const topic of kinds.values())
    channels[topic.kind] = channelOf(
      topic,
      events.filter((one) => one.topic.kind === topic.kind),
    );
  const components = Object.fromEntries(messages);
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Conclave',
      version,
      description: introduction,
      license: { name: 'MIT' },
      contact: { name: 'Whoever runs this server' },
      tags: [{ name: 'WebSocket' }],
    },
    defaultContentType: 'application/json',
    servers: {
      node: {
        host: '{host}',
        protocol: 'wss',
        description: 'The address of the node; `ws` without TLS.',
        variables: { host: { default: 'home.example', description: 'host and port of the node' } },
        security: [{ $ref: '#/components/securitySchemes/token' }, { $ref: '#/components/securitySchemes/ticket' }],
      },
    },
    channels,
    operations: operationsOf(sent, kinds, events),
    components: {
      messages: components,
      schemas: schemas.usedBy([components]),
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description:
            'In the header of the upgrade request. A client that cannot set headers sends the frame `auth` instead.',
        },
        ticket: {
          type: 'httpApiKey',
          in: 'query',
          name: 'ticket',
          description: 'From `POST /api/realtime/ticket`. It works once, for a few seconds.',
        },
      },
    },
  };
}

function channelOf(topic: EventTopic, events: readonly Event[]): ChannelObject {
  const names = Object.keys(topic.parts);
  return {
    address: [topic.kind, ...names.map((name) => `{${name}}`)].join(':'),
    title: topic.summary,
    description: topic.description,
    parameters: Object.fromEntries(Object.entries(topic.parts).map(([name, description]) => [name, { description }])),
    messages: referencesTo(events.map(({ name }) => name)),
  };
}

/** The direction is that of the server: it receives what clients send. */
function operationsOf(
  frames: readonly ClientFrame[],
  kinds: ReadonlyMap<string, EventTopic>,
  events: readonly Event[],
): Record<string, Json> {
  const at = (channel: string, names: readonly string[]) => ({
    channel: { $ref: `#/channels/${channel}` },
    messages: names.map((name) => ({ $ref: `#/channels/${channel}/messages/${keyOf(name)}` })),
  });
  const operations: Record<string, Json> = {};
  for (const { type, summary, description, answer } of frames)
    operations[keyOf(type)] = {
      action: 'receive',
      summary,
      ...(description !== '' && { description }),
      ...at(socketChannel, [type]),
      ...(answer !== undefined && { reply: at(socketChannel, [answer.type, serverFrames.error.type]) }),
    };
  operations['tellResync'] = {
    action: 'send',
    summary: serverFrames.resync.summary,
    ...at(socketChannel, [serverFrames.resync.type]),
  };
  for (const { kind, summary } of kinds.values())
    operations[`tell${kind[0]?.toUpperCase()}${kind.slice(1)}`] = {
      action: 'send',
      summary,
      ...at(
        kind,
        events.filter((one) => one.topic.kind === kind).map(({ name }) => name),
      ),
    };
  return operations;
}

function clientMessage({ type, summary, description, input }: ClientFrame, schemas: Schemas): MessageObject {
  return message(type, summary, description, withType(type, inputJsonSchema(input)), schemas);
}

function serverMessage({ type, summary, description, fields }: ServerFrame, schemas: Schemas): MessageObject {
  return message(type, summary, description, withType(type, replyJsonSchema(fields)), schemas);
}

function eventMessage(one: Event, schemas: Schemas): MessageObject {
  const { name, topic, replayable, summary, description, data } = one;
  const text = { type: 'string' };
  const payload = {
    type: 'object',
    required: ['type', 'topic', ...(replayable ? ['seq'] : []), 'timestamp', 'data'],
    properties: {
      type: { type: 'string', const: name },
      topic: { ...text, pattern: `^${topic.kind}:` },
      ...(replayable && { seq: { type: 'integer', minimum: 1, description: 'for `resume`' } }),
      timestamp: { ...text, format: 'date-time' },
      data: replyJsonSchema(data),
    },
  };
  const example = exampleOf(payload, schemas.resolve) as Record<string, unknown>;
  const places = Object.keys(topic.parts).map(() => '0123456789abcdef01234567');
  return {
    ...message(name, summary, description, payload, schemas),
    examples: [{ payload: { ...example, topic: [topic.kind, ...places].join(':') } }],
    'x-replayable': replayable,
  };
}

function message(name: string, summary: string, description: string, payload: Json, schemas: Schemas): MessageObject {
  return {
    name,
    title: name,
    summary,
    ...(description !== '' && { description }),
    payload,
    examples: [{ payload: exampleOf(payload, schemas.resolve) }],
  };
}

function withType(type: string, schema: Json): Json {
  const { properties, required = [], ...rest } = schema as { properties?: Json; required?: readonly string[] };
  return {
    ...rest,
    required: ['type', ...required],
    properties: { type: { type: 'string', const: type }, ...properties },
  };
}

function referencesTo(names: readonly string[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [keyOf(name), { $ref: `#/components/messages/${keyOf(name)}` }]));
}

/** Keys of components must not contain colons. */
function keyOf(name: string): string {
  return name.replaceAll(':', '.');
}
