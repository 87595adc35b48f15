import { setImmediate as breathe } from 'node:timers/promises';
import type { Context } from '../../service/context.ts';
import type { Faults } from '../../base/faults.ts';
import { openWaiting, readWaiting } from './waiting.ts';

const pageSize = 500;

/** Checks the entries that wait for their places. Others may come and go during the check. */
export async function checkWaiting(ctx: Context, faults: Faults): Promise<string> {
  let waiting = 0;
  for (let after = Number.MIN_SAFE_INTEGER; ;) {
    const rows = await readWaiting(ctx.db, { after, limit: pageSize });
    for (const row of rows) {
      if (openWaiting(ctx.keys, row) === undefined)
        faults.add('waiting', null, `the waiting entry ${row.id} is not as this node wrote it, so it gets no place`);
      else if (row.recorded > 0) faults.add('waiting', null, `the waiting entry ${row.id} is in the ledger already`);
      waiting += 1;
      after = row.position;
    }
    if (rows.length < pageSize) return `${waiting} entries wait for their places`;
    await breathe();
  }
}
