import type { Kysely } from 'kysely';
import * as v from 'valibot';
import type { Actor } from '../../src/service/actor.ts';
import { withBlock } from '../../src/shared/attachments/blocks.ts';
import type { Context } from '../../src/service/context.ts';
import { event, eventTopic, topicName } from '../../src/contract/event.ts';
import { operation, rawOperation, uploadOperation, type Method } from '../../src/contract/operation.ts';
import { paged } from '../../src/contract/page.ts';
import { line } from '../../src/contract/text.ts';
import { appendEntry } from '../../src/platform/ledger/append.ts';
import { Problem } from '../../src/base/problem.ts';
import { publish } from '../../src/platform/realtime/publish.ts';
import { transactionOnce } from '../../src/service/repeats.ts';
import { scheduled } from '../../src/service/scheduled.ts';
import { service, type Parts } from '../../src/service/service-parts.ts';
import { planJob } from '../../src/platform/store/jobs/plans.ts';
import { asc, desc, readPage, type PageRequest } from '../../src/platform/store/page.ts';
import { recordId } from '../../src/platform/store/record-id.ts';
import { indexed } from '../../src/platform/store/search/document.ts';
import { putDocument } from '../../src/platform/store/search/documents.ts';
import { search } from '../../src/platform/store/search/search.ts';

const note = v.object({ id: v.string(), title: v.string(), reminded: v.boolean() });
const common = { envelope: 'social', auth: 'member', status: 200, message: 'Done', errors: ['NOT_FOUND'] } as const;
const at = <const M extends Method>(verb: string, method: M, path: string, summary: string) => {
  return { ...common, id: `notebook.${verb}`, method, path: `/api/social/notebook${path}`, summary };
};
const about = { summary: 'The notes of a member', description: 'For that member.' };
const notes = eventTopic({ kind: 'notebook', parts: { memberId: 'whose notes' }, ...about });
const data = v.object({ id: v.string() });
const noteAdded = event({ name: 'note:added', topic: notes, replayable: true, ...about, data });

/** A service as it could be: a list, a search, an upload and a download, an event, a job, an entry of the ledger. */
export const notebook = {
  add: operation({
    ...at('add', 'POST', '', 'Write a note'),
    input: v.object({ title: line(100) }),
    reply: v.object({ note }),
    status: 201,
  }),
  list: operation({ ...at('list', 'GET', '', 'List own notes'), ...paged({ name: 'notes', of: note }) }),
  find: operation({
    ...at('find', 'GET', '/search', 'Search own notes'),
    ...paged({ name: 'ids', of: v.string(), filter: { q: line(100) } }),
  }),
  draw: uploadOperation({
    ...at('draw', 'PUT', '/:id/drawing', 'Add a drawing'),
    input: v.object({ id: line(40) }),
    reply: v.object({ size: v.number() }),
    accepts: ['image/png'],
    digest: true,
  }),
  drawing: rawOperation({
    ...at('drawing', 'GET', '/:id/drawing', 'Fetch a drawing'),
    input: v.object({ id: line(40) }),
    accepts: [],
    produces: ['image/png'],
  }),
};

type NoteRow = Record<'id' | 'member_id' | 'title', string> & { reminded: number; drawing: string | null };
const rowsOf = ({ db }: Context) => db as unknown as Kysely<{ sample_notes: NoteRow }>;
const spaceOf = ({ memberId }: Actor) => ({ name: `notebook:${memberId}` });
const shown = ({ id, title, reminded }: NoteRow) => ({ id, title, reminded: reminded === 1 });

async function ownNote(ctx: Context, actor: Actor, id: string): Promise<NoteRow> {
  const query = rowsOf(ctx).selectFrom('sample_notes').selectAll().where('id', '=', id);
  const missing = () => new Problem('missing', 'NOT_FOUND', 'You have no such note.');
  return await query.where('member_id', '=', actor.memberId).executeTakeFirstOrThrow(missing);
}

const implementation: Parts<typeof notebook>['implementation'] = {
  async add(ctx, actor, { title }) {
    const now = ctx.clock.now();
    const row = { id: recordId(now, ctx.random), member_id: actor.memberId, title, reminded: 0, drawing: null };
    const document = indexed(spaceOf(actor), { id: row.id, at: now, text: title });
    return await transactionOnce(ctx, async (tx) => {
      await rowsOf(tx).insertInto('sample_notes').values(row).execute();
      await putDocument(tx.db, document);
      await planJob(tx.db, { id: `notebook/${row.id}`, kind: 'notebook-remind', payload: row.id, runAt: now + 1, now });
      await appendEntry(tx, { type: 'NOTEBOOK_ADDED', tags: { note: row.id } });
      await publish(tx, topicName(notes, actor.memberId), noteAdded, { id: row.id });
      return { note: shown(row) };
    });
  },
  async list(ctx, { memberId }, page: PageRequest) {
    const query = rowsOf(ctx).selectFrom('sample_notes').selectAll().where('member_id', '=', memberId);
    const by = [asc<NoteRow>('title', (row) => row.title), desc<NoteRow>('id', (row) => row.id)];
    const { rows, next } = await readPage(ctx, query, { list: 'notebook.list', memberId, by }, page);
    return { notes: rows.map(shown), ...next };
  },
  async find(ctx, actor, { q, ...page }) {
    const listing = { list: 'notebook.find', memberId: actor.memberId };
    const wanted = { space: spaceOf(actor), text: q, order: 'newest', listing, cursors: ctx } as const;
    const { rows, next } = await search(ctx.db, wanted, page);
    return { ids: rows.map(({ id }) => id), ...next };
  },
  async draw(ctx, actor, { id }, { body }) {
    await ownNote(ctx, actor, id);
    return await withBlock(ctx, body, async (tx, block) => {
      await ownNote(tx, actor, id);
      await rowsOf(tx).updateTable('sample_notes').set({ drawing: block.id }).where('id', '=', id).execute();
      await block.keep();
      return { size: block.size };
    });
  },
  async drawing(ctx, actor, { id }) {
    const { drawing } = await ownNote(ctx, actor, id);
    return { type: 'image/png', content: new Uint8Array(await ctx.blocks.get(drawing ?? '')) };
  },
};

export const notebookService = service(
  { name: 'notebook', title: 'Notebook', text: 'Notes of a member.', contract: notebook, events: { noteAdded } },
  {
    implementation,
    jobs: {
      'notebook-remind': scheduled(
        async (tx, id) =>
          await rowsOf(tx).updateTable('sample_notes').set({ reminded: 1 }).where('id', '=', String(id)).execute(),
      ),
    },
    topics: () => ({ notebook: { allows: async ({ memberId }, topic) => topic === topicName(notes, memberId) } }),
    ledgerTypes: ['NOTEBOOK_ADDED'],
  },
);
