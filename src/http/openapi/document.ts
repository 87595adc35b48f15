import type { Config } from '../../config/config.ts';
import type { Topic } from '../../contract/all.ts';
import { meets } from '../../service/actor.ts';
import type { Operation, RoleRequirement } from '../../contract/operation.ts';
import { failureName, failureObject, failuresOf } from './failures.ts';
import { headers } from './headers.ts';
import { openApiPath, operationObject } from './operation-object.ts';
import { openSchemas } from './components.ts';
import type { FailureObject, OpenApiDocument, OperationObject } from './types.ts';
import { MAX_DEPTH, MAX_VALUES } from '../json-bounds.ts';

/**
 * The contract as an OpenAPI 3.1 document.
 *
 * @throws Error when two operations have the same id, or the same method and path
 */
export function openApiDocument(topics: readonly Topic[], limits: Config['limits'], version: string): OpenApiDocument {
  const paths: Record<string, Record<string, OperationObject>> = {};
  const responses: Record<string, FailureObject> = {};
  const schemas = openSchemas();
  const ids = new Set<string>();
  for (const topic of topics) {
    for (const op of Object.values(topic.contract)) {
      if (!isServedOverTcp(op)) continue;
      const item = (paths[openApiPath(op.path)] ??= {});
      const method = op.method.toLowerCase();
      if (ids.has(op.id) || item[method] !== undefined) throw new Error(`${op.id}: declared twice`);
      ids.add(op.id);
      item[method] = operationObject(op, topic.title, limits, schemas);
      addFailures(responses, op);
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Conclave',
      version,
      description: introduction,
      license: { name: 'MIT', identifier: 'MIT' },
      contact: { name: 'Whoever runs this server' },
    },
    servers: [{ url: '/' }],
    tags: topics.map(({ title, text }) => ({ name: title, description: text })),
    paths,
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'The token from the answer of a sign-in. The header may also contain the token alone.',
        },
        appPassword: {
          type: 'http',
          scheme: 'basic',
          description:
            'Username or e-mail address, and an app password that has the scope of the operation. The password of the account is never accepted.',
        },
        botToken: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'conclave-bot-…',
          description:
            'A bot token of a member, which has the right of the operation (`x-bot-scope`) in the conversation. It reaches nothing else.',
        },
      },
      schemas: schemas.usedBy([paths, responses]),
      headers,
      responses,
    },
  };
}

/** Operations for the operator are omitted, because they work only over the control socket. */
function isServedOverTcp(op: Operation): boolean {
  return (
    op.localOnly !== true &&
    (typeof op.auth !== 'object' || memberTypes.some((type) => meets(type, op.auth as RoleRequirement)))
  );
}

const memberTypes = ['User', 'Admin'] as const;

function addFailures(responses: Record<string, FailureObject>, op: Operation): void {
  for (const [status, codes] of failuresOf(op)) {
    responses[failureName(op.envelope, codes)] ??= failureObject(op.envelope, status, codes);
  }
}

/** The rules for every operation, in paragraphs with an empty line between them. Names are in backticks. */
const introduction = [
  'Requests and answers are JSON in UTF-8. Unknown fields are ignored. An object with the same key twice is refused, and so are more than ' +
    `${MAX_DEPTH} levels and ${MAX_VALUES.toLocaleString('en')} values.`,
  'The token says who acts: `Authorization: Bearer <token>`. A field that names the actor may be left out. If it names somebody else, the request is refused with 403.',
  'Programs that know only a name and a password send an app password as `Basic` (RFC 7617), to operations with a scope (`x-scope`). Such requests are counted under the limit `bridge`, unless the operation has a limit of its own.',
  'A bot token is sent as `Authorization: Bearer conclave-bot-…`. It reaches operations with an `x-bot-scope`, in the conversations that it was made for. Everything else, also another conversation, is 403 `INSUFFICIENT_SCOPE`.',
  'Failures have the envelope of their service. Their `code` (in the account service `error`) is stable and upper-case. If fields are wrong, `errors` names each of them. A path that does not exist answers 404 `NOT_FOUND`. A method that a path does not support answers 405 `METHOD_NOT_ALLOWED` with the header `Allow`. Something that the caller may not know of gets the same answer as something that does not exist.',
  'Every answer has `X-Request-Id`, the id of the request in the server log. Requests are counted per account and per address. `RateLimit-*` says what is left, and a 429 has `Retry-After`.',
  'Ids are lower-case hex: 32 digits, and 24 for members. Times are UTC in ISO 8601 with milliseconds. Lists accept `limit` and `cursor`. A cursor is opaque, and a changed one is refused with 400.',
  'A request that creates something may have an `Idempotency-Key`. A repeat by the same member within 24 hours gets the first result, if the member still has the permission. An upload is recognised by its content. With a `Content-Digest` in SHA-256, a repeat is answered before its body is read. An answer with secrets (tokens, backup codes, recovery phrases) is not stored. A repeat of such a request answers 409 `IDEMPOTENCY_REPLY_NOT_KEPT`. To repeat it, send a new key.',
  'Whoever has a token can read the vaults that are open in its session. For more protection, a client sends `X-Vault-Unlock` (32 random bytes of its own in base64url) when it opens a vault, and with every later request to it. Without the same value the vault is locked (`VAULT_LOCKED`). Store it apart from the token.',
].join('\n\n');
