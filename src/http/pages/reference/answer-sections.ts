import { isDeepStrictEqual } from 'node:util';
import type { OperationObject, SuccessObject } from '../../openapi/types.ts';
import { answerTable } from './answer-table.ts';
import { html, nothing, type Html } from './html.ts';
import { schemaRows, type Resolve } from './schema-rows.ts';

type Success = readonly [status: string, success: SuccessObject];

/** Every success of an operation. Successes with the same content show its fields only under the first of them. */
export function answerSections(op: OperationObject, resolve: Resolve): readonly Html[] {
  const successes = Object.entries(op.responses).flatMap(([status, response]): Success[] =>
    '$ref' in response ? [] : [[status, response]],
  );
  return successes.map(([status, success], at) => {
    const same = successes.slice(0, at).find(([, before]) => isDeepStrictEqual(before.content, success.content));
    return section(status, success, same?.[0], { alone: successes.length === 1, resolve });
  });
}

function section(
  status: string,
  { description, content = {} }: SuccessObject,
  same: string | undefined,
  { alone, resolve }: { readonly alone: boolean; readonly resolve: Resolve },
): Html {
  const types = Object.keys(content);
  const rows = same === undefined ? Object.values(content).flatMap(({ schema }) => schemaRows(schema, resolve)) : [];
  const saysTypes = rows.length === 0 && same === undefined && types.length > 0;
  const says = [
    ...(alone && (rows.length > 0 || saysTypes) ? [] : [description]),
    ...(saysTypes ? [types.join(', ')] : []),
    ...(same !== undefined && types.length > 0 ? [`Content as of ${same}`] : []),
  ];
  return html`<h4>Answer <span class="status">${status}</span></h4>
    ${says.length === 0 ? nothing : html`<p>${says.join('. ')}</p>`} ${rows.length === 0 ? nothing : answerTable(rows)}`;
}
