import type { Context } from '../../../service/context.ts';
import { tellReshareEnded } from './reshares.ts';
import { tellSessionEnded } from './sessions.ts';

/** Ends for listeners what goes with a document that is deleted, in the transaction of that and before it. */
export async function tellDocumentGone(tx: Context, documentId: string): Promise<void> {
  const sessions = await tx.db
    .selectFrom('quorum_sessions')
    .selectAll()
    .where('document_id', '=', documentId)
    .where('status', '=', 'open')
    .execute();
  const reshares = await tx.db
    .selectFrom('quorum_reshares')
    .selectAll()
    .where('document_id', '=', documentId)
    .where('status', 'in', ['collecting', 'confirming'])
    .execute();
  for (const row of reshares) await tellReshareEnded(tx, row, 'cancelled');
  for (const row of sessions) await tellSessionEnded(tx, row, 'cancelled');
}
