import type { Config } from '../../config/config.ts';
import type { Topic } from '../../contract/all.ts';
import { envelopes } from '../../contract/envelope.ts';
import type { Operation, Surface } from '../../contract/operation.ts';
import { failureName, failureObject, failureSchemaName, failuresOf } from './failures.ts';
import { headers } from './headers.ts';
import { introduction } from './introduction.ts';
import { openApiPath, operationObject } from './operation-object.ts';
import type { FailureObject, OpenApiDocument, OperationObject } from './types.ts';

/**
 * The contract as an OpenAPI 3.1 document.
 *
 * @throws Error when two operations have the same id, or the same method and path
 */
export function openApiDocument(topics: readonly Topic[], limits: Config['limits'], version: string): OpenApiDocument {
  const paths: Record<string, Record<string, OperationObject>> = {};
  const responses: Record<string, FailureObject> = {};
  const surfaces = new Set<Surface>(['system']);
  const ids = new Set<string>();
  for (const topic of topics) {
    for (const op of Object.values(topic.contract)) {
      const item = (paths[openApiPath(op.path)] ??= {});
      const method = op.method.toLowerCase();
      if (ids.has(op.id) || item[method] !== undefined) throw new Error(`${op.id}: declared twice`);
      ids.add(op.id);
      item[method] = operationObject(op, topic.title, limits);
      surfaces.add(op.surface);
      addFailures(responses, op);
    }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Conclave', version, description: introduction, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: '/' }],
    tags: topics.map(({ title, text }) => ({ name: title, description: text })),
    paths,
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'The token that signing in answers. The header may also hold the token alone.',
        },
      },
      schemas: Object.fromEntries(
        [...surfaces].sort().map((surface) => [failureSchemaName(surface), envelopes[surface].failureSchema]),
      ),
      headers,
      responses,
    },
  };
}

function addFailures(responses: Record<string, FailureObject>, op: Operation): void {
  for (const [status, codes] of failuresOf(op)) {
    responses[failureName(op.surface, codes)] ??= failureObject(op.surface, status, codes);
  }
}
