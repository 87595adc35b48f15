import type { Json, Reference } from '../openapi/types.ts';

/** The part of AsyncAPI 3.0 that the document uses. */
export interface AsyncApiDocument {
  readonly asyncapi: '3.0.0';
  readonly id?: string;
  readonly info: Json;
  readonly defaultContentType: string;
  readonly servers: Readonly<Record<string, Json>>;
  readonly channels: Readonly<Record<string, ChannelObject>>;
  readonly operations: Readonly<Record<string, Json>>;
  readonly components: {
    readonly messages: Readonly<Record<string, MessageObject>>;
    readonly schemas: Readonly<Record<string, Json>>;
    readonly securitySchemes: Json;
  };
}

export interface ChannelObject {
  readonly address: string;
  readonly title: string;
  readonly description: string;
  readonly parameters?: Readonly<Record<string, { readonly description: string }>>;
  readonly messages: Readonly<Record<string, Reference>>;
}

export interface MessageObject {
  readonly name: string;
  readonly title: string;
  readonly summary: string;
  readonly description?: string;
  readonly payload: Json;
  readonly examples: readonly { readonly payload: unknown }[];
  /** whether the event is sent again to clients that missed it */
  readonly 'x-replayable'?: boolean;
}
