import type { RoleRequirement } from '../../contract/operation.ts';
import type { LimitName } from '../../contract/rates.ts';

/** The part of OpenAPI 3.1 that the document uses. */

export type Json = Readonly<Record<string, unknown>>;

export interface Reference {
  readonly $ref: string;
}

export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly description: string;
    readonly license: Json;
    readonly contact: Json;
  };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: {
    readonly securitySchemes: Json;
    readonly schemas: Readonly<Record<string, Json>>;
    readonly headers: Readonly<Record<string, HeaderObject>>;
    readonly responses: Readonly<Record<string, FailureObject>>;
  };
}

export interface OperationObject {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security: readonly Json[];
  readonly parameters: readonly ParameterObject[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  /** the success is inline, failures are references */
  readonly responses: Readonly<Record<string, SuccessObject | Reference>>;
  readonly 'x-required-roles'?: RoleRequirement;
  /** the scope with which tokens may also call the operation */
  readonly 'x-scope'?: string;
  readonly 'x-bot-scope'?: string;
  readonly 'x-rate-limit': RateLimit;
  readonly 'x-max-body-bytes'?: number;
}

export interface ParameterObject {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Json;
}

export interface HeaderObject {
  readonly description: string;
  readonly schema: Json;
}

export interface SuccessObject {
  readonly description: string;
  readonly headers: Readonly<Record<string, HeaderObject | Reference>>;
  readonly content?: Content;
}

export interface FailureObject extends SuccessObject {
  readonly 'x-error-codes': readonly string[];
}

export type Content = Readonly<
  Record<string, { readonly schema: Json; readonly example?: unknown; readonly examples?: Json }>
>;

export interface RateLimit {
  readonly name: LimitName;
  /** false if the configuration has disabled this limit */
  readonly enabled: boolean;
  readonly perAccount?: Allowance;
  readonly perAddress?: Allowance;
  /** fields of the input that name the account, if it isn't the member of the token */
  readonly accountFields?: readonly string[];
  /** what counts are wrong guesses at a secret; all requests count as others do that have no limit of their own */
  readonly guesses?: true;
}

export interface Allowance {
  readonly requests: number;
  readonly seconds: number;
}
