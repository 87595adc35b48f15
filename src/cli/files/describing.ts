import { accounts } from '../../contract/accounts.ts';
import { filevault } from '../../contract/filevault.ts';
import type { ReplyOf } from '../../contract/operation.ts';
import { perform, type Caller } from '../../client/perform.ts';
import { bytes, moment, type Screen } from '../kit/screen.ts';
import { details } from '../kit/table.ts';
import type { RemotePlace } from './places.ts';

type Permissions = ReplyOf<typeof filevault.showEffective>;

/** What the caller may do with a file or folder. */
export async function permissionsAt(caller: Caller, { folder, file }: RemotePlace): Promise<Permissions> {
  const { user } = await perform(caller, accounts.verify, {});
  return await perform(caller, filevault.showEffective, {
    targetType: file === null ? 'folder' : 'file',
    targetId: file?.id ?? folder.id,
    principalId: user.id,
  });
}

export function describePlace(
  screen: Screen,
  { folders, folder, file }: RemotePlace,
  { flags, level, source }: Permissions,
): string {
  const path = folders.map(({ name }) => name).join('/');
  const what =
    file === null
      ? [
          ['Folder', path],
          ['Created', moment(screen, folder.createdAt)],
          ['Changed', moment(screen, folder.updatedAt)],
        ]
      : [
          ['File', `${path}/${file.name}`],
          ['Size', `${bytes(file.sizeBytes)} (${file.sizeBytes})`],
          ['Type', file.mimeType],
          ['Changed', moment(screen, file.modifiedAt)],
          ['Stored', moment(screen, file.createdAt)],
          ...(file.description === null ? [] : [['Description', file.description]]),
          ...(file.tags.length === 0 ? [] : [['Tags', file.tags.join(', ')]]),
          ...(file.scheduledDestructionAt === null
            ? []
            : [['Destroyed at', moment(screen, file.scheduledDestructionAt)]]),
        ];
  const pairs = [
    ...what,
    ['You may', `${flags.join(', ') || 'nothing'} (${level}, from ${source})`],
    ['Id', file?.id ?? folder.id],
  ];
  return details(screen, pairs as [string, string][]);
}
