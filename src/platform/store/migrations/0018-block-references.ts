import type { Db } from '../database.ts';

/** Who refers to a block is asked whenever a reference goes, and shouldn't take longer with every file that there is. */
export async function up({ schema }: Db): Promise<void> {
  await schema.createIndex('passvault_attachments_block_id').on('passvault_attachments').column('block_id').execute();
}
