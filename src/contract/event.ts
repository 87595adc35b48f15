import type { GenericSchema, InferInput, ObjectEntries, ObjectSchema } from 'valibot';
import type { ErrorCode } from './error-codes.ts';
import type { LimitName } from './rates.ts';
import type { BotRight } from './scopes.ts';

/** A kind of topic. All topics of a kind have the same events and the same rule for subscriptions. */
export interface EventTopic<Kind extends string = string> {
  /** the part of a topic's name before the first colon */
  readonly kind: Kind;
  /** the parts of the name after the kind, in order, each with its description */
  readonly parts: Readonly<Record<string, string>>;
  readonly summary: string;
  /** who may subscribe */
  readonly description: string;
}

export function eventTopic<const Kind extends string>(declared: EventTopic<Kind>): EventTopic<Kind> {
  return declared;
}

/** The name of one topic, such as `vaults:0123…`. @param parts in the order in which they are declared */
export function topicName({ kind, parts: { ...declared } }: EventTopic, ...parts: readonly string[]): string {
  if (parts.length !== Object.keys(declared).length)
    throw new Error(`a topic ${kind} has the parts ${Object.keys(declared).join(', ')}`);
  return [kind, ...parts].join(':');
}

export interface Event<Name extends string = string, Data extends GenericSchema = GenericSchema> {
  /** `noun:what-happened`; also the `type` of its frames */
  readonly name: Name;
  readonly topic: EventTopic;
  /** replayable events are stored for a while, and sent to a client that reconnects with its last position; other events are not stored */
  readonly replayable: boolean;
  readonly summary: string;
  readonly description: string;
  /** the schema of the data; properties that are not in the schema are never sent */
  readonly data: Data;
}

export function event<const Name extends string, Data extends GenericSchema>(
  declared: Event<Name, Data>,
): Event<Name, Data> {
  return declared;
}

export type DataOf<E extends Event> = InferInput<E['data']>;

/** A message that clients send over a socket. It corresponds to an operation over HTTP. */
export interface ClientFrame<
  Type extends string = string,
  // oxlint-disable-next-line typescript/no-explicit-any -- as in operation.ts: the entries' own types are what inference is for
  Input extends ObjectSchema<any, undefined> = ObjectSchema<any, undefined>,
  Answer extends ServerFrame | undefined = ServerFrame | undefined,
> {
  readonly type: Type;
  readonly summary: string;
  readonly description: string;
  /** the fields other than `type` */
  readonly input: Input;
  /** the type of the answer after a success; undefined if there is no answer */
  readonly answer: Answer;
  /** codes of the frame `error`, in addition to those of every frame */
  readonly errors: readonly ErrorCode[];
  /** the rate limit that it counts to, together with requests over HTTP; without it, only frames are limited */
  readonly limit?: LimitName;
  /** the right with which a bot token may send it, for the conversation `conversationId`; without it, no bot token may */
  readonly bot?: BotRight;
}

export function clientFrame<
  const Type extends string,
  Entries extends ObjectEntries,
  Answer extends ServerFrame | undefined,
>(
  declared: ClientFrame<Type, ObjectSchema<Entries, undefined>, Answer>,
): ClientFrame<Type, ObjectSchema<Entries, undefined>, Answer> {
  return declared;
}

/** A frame from the server that is not an event. */
export interface ServerFrame<Type extends string = string, Fields extends GenericSchema = GenericSchema> {
  readonly type: Type;
  readonly summary: string;
  readonly description: string;
  /** the fields other than `type` */
  readonly fields: Fields;
}

export function serverFrame<const Type extends string, Fields extends GenericSchema>(
  declared: ServerFrame<Type, Fields>,
): ServerFrame<Type, Fields> {
  return declared;
}
