import type { Config } from '../../config/config.ts';
import type { Topic } from '../../contract/all.ts';
import { meets } from '../../actor.ts';
import type { Operation, RoleRequirement } from '../../contract/operation.ts';
import { failureName, failureObject, failuresOf } from './failures.ts';
import { headers } from './headers.ts';
import { introduction } from './introduction.ts';
import { openApiPath, operationObject } from './operation-object.ts';
import { openSchemas } from './components.ts';
import type { FailureObject, OpenApiDocument, OperationObject } from './types.ts';

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
          description: 'The token that signing in answers. The header may also hold the token alone.',
        },
      },
      schemas: schemas.usedBy([paths, responses]),
      headers,
      responses,
    },
  };
}

/** What is for the operator of the node has no place here: over TCP nobody is. */
function isServedOverTcp(op: Operation): boolean {
  return (
    op.localOnly !== true &&
    (typeof op.auth !== 'object' || memberTypes.some((type) => meets(type, op.auth as RoleRequirement)))
  );
}

const memberTypes = ['User', 'Admin'] as const;

function addFailures(responses: Record<string, FailureObject>, op: Operation): void {
  for (const [status, codes] of failuresOf(op)) {
    responses[failureName(op.surface, codes)] ??= failureObject(op.surface, status, codes);
  }
}
