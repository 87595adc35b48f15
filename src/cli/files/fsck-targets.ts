import { accounts } from '../../contract/accounts.ts';
import { perform, type Caller } from '../../client/perform.ts';
import { parseRemotePath } from './paths.ts';
import { allContainers, containerNamed, placeAt } from './places.ts';

export interface FsckTarget {
  /** of the container */
  readonly id: string;
  readonly fileId?: string;
  readonly folderId?: string;
}

/** What is checked: own containers, one by its name, or what is at a path. */
export async function fsckTargets(caller: Caller, place: string | undefined): Promise<FsckTarget[]> {
  if (place === undefined) {
    const { user } = await perform(caller, accounts.verify, {});
    return (await allContainers(caller)).filter(({ ownerId }) => ownerId === user.id).map(({ id }) => ({ id }));
  }
  if (!place.includes('/')) return [{ id: (await containerNamed(caller, place.replace(/:$/, ''))).id }];
  const { folder, file } = await placeAt(caller, parseRemotePath(place));
  const id = folder.vaultContainerId;
  return [file === null ? { id, folderId: folder.id } : { id, fileId: file.id }];
}
