import { html, prose, type Html } from './html.ts';
import type { SchemaRow } from './schema-rows.ts';

/** The fields of data that a server sends: answers and events. */
export function answerTable(rows: readonly SchemaRow[]): Html {
  return html`<div class="scroll">
    <table>
      <thead>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">Type</th>
          <th scope="col">Notes</th>
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              <th scope="row"><code>${row.name}</code></th>
              <td>${row.type}</td>
              <td>${answerNotes(row)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

function answerNotes(row: SchemaRow): Html {
  return prose([row.required ? '' : 'not always present', row.text].filter((part) => part !== '').join('; '));
}
