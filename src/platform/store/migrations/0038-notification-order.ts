import type { Db } from '../database.ts';

/** The order in which notifications give way to new ones. Whoever has as many as are kept has one dropped with each new one. */
export async function up({ schema }: Db): Promise<void> {
  await schema
    .createIndex('notifications_order')
    .on('notifications')
    .columns(['recipient_id', 'is_read desc', 'updated_at', 'id', 'held'])
    .execute();
}
