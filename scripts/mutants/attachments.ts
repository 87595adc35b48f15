import type { Mutant } from './mutant.ts';

export const attachmentMutants: readonly Mutant[] = [
  {
    file: 'src/shared/attachments/blocks.ts',
    what: 'block that is just being dropped',
    from: "      .where('attempts', '=', 0)\n",
    to: '',
    tests: ['test/shared/attachments/blocks.test.ts'],
  },
  {
    file: 'src/shared/attachments/blocks.ts',
    what: 'sharing of a block that is gone',
    from: 'if (!(await lockReference(tx.db, id)))',
    to: "if (id === '')",
    tests: ['test/shared/attachments/blocks.test.ts'],
  },
  {
    file: 'src/shared/attachments/blocks.ts',
    what: 'other references when one goes',
    from: '    if (await isReferred(ctx.db, id)) continue;\n',
    to: '',
    tests: ['test/shared/attachments/blocks.test.ts'],
  },
  {
    file: 'src/shared/attachments/blocks.ts',
    what: 'references when a job drops',
    from: 'if (!(await isReferred(ctx.db, blockId))) await ctx.blocks.delete(blockId);',
    to: 'await ctx.blocks.delete(blockId);',
    tests: ['test/shared/attachments/block-races.test.ts'],
  },
  {
    file: 'src/shared/attachments/blocks.ts',
    what: 'job that runs while the last reference goes',
    from: 'await planJob(tx.db, {',
    to: 'await enqueue(tx.db, {',
    tests: ['test/shared/attachments/block-races.test.ts'],
  },
  {
    file: 'src/platform/store/blocks/references.ts',
    what: 'table whose blocks stay',
    from: "  column('passvault_attachments', 'block_id'),\n",
    to: '',
    tests: ['test/shared/attachments/blocks.test.ts'],
  },
  {
    file: 'src/shared/attachments/off-thread.ts',
    what: 'thread that opens what is large',
    from: 'if (sealed.length <= INLINE_BYTES) return openWithKey(',
    to: 'if (sealed.length <= Infinity) return openWithKey(',
    tests: ['test/shared/attachments/images.test.ts'],
  },
  {
    file: 'src/shared/attachments/peer-blocks.ts',
    what: 'who may fetch a block',
    from: "const may = typeof blockId === 'string' && (await isAllowed(rules, blockId, peer));",
    to: "const may = typeof blockId === 'string';",
    tests: ['test/shared/attachments/peer-blocks.thorough.test.ts'],
  },
  {
    file: 'src/platform/store/blocks/incoming.ts',
    what: 'hash of a block that was received',
    from: 'if ((await hash.digest()) !== id) {',
    to: 'if ((await hash.digest()).length !== id.length) {',
    tests: ['test/platform/store/blocks-received.test.ts'],
  },
];
