import { fail, labelOf, isLeaving, notPossible } from './applying.ts';
import { moveHere, setAside } from './local-steps.ts';
import type { Item } from './matching.ts';
import { renameThere, setAsideThere } from './remote-steps.ts';
import type { Blocked, Pass } from './run.ts';
import { transitName, type LocalNode, type RemoteNode } from './trees.ts';

/**
 * Makes room when things are in each other's way and nothing else can be done: two files that swap their names, or a new file here with the
 * name of a new folder there. What is in the way gets a name for the time being, or one that says that there are two.
 */
export async function makeRoom(pass: Pass): Promise<void> {
  const start = pass.done;
  const touched = new Set<Item | undefined>();
  for (const blocked of pass.blocked) {
    const blocker = blockerOf(pass, blocked);
    const isApart = !touched.has(blocked.item) && !touched.has(blocker);
    const isBrief = blocker !== undefined && blocked.by !== undefined && isLeaving(pass, blocked.by);
    if (pass.done > start && !(isApart && isBrief)) continue;
    try {
      await (blocked.side === 'local' ? makeRoomHere(pass, blocked) : makeRoomThere(pass, blocked));
    } catch (error) {
      fail(pass, blocked.item, error);
    }
    // The next look may find that this was enough.
    if (pass.done > start && !isBrief) return;
    touched.add(blocked.item).add(blocker);
  }
}

function blockerOf({ items }: Pass, { by }: Blocked): Item | undefined {
  if (by === undefined) return undefined;
  return 'stats' in by ? items.ofLocal.get(by) : items.ofRemote.get(by.id);
}

async function makeRoomHere(pass: Pass, { item, by }: Blocked): Promise<void> {
  const node = by as LocalNode | undefined;
  const id = node === undefined ? undefined : pass.items.ofLocal.get(node)?.remote?.id;
  if (node === undefined || node.kind === 'other')
    throw notPossible(`Something that is left out has the name ${labelOf(pass, item)} here. Rename it.`);
  if (isLeaving(pass, node) && id !== undefined) await moveHere(pass, node, node.parent, transitName(id));
  else await setAside(pass, node);
}

async function makeRoomThere(pass: Pass, { item, by }: Blocked): Promise<void> {
  const node = by as RemoteNode | undefined;
  if (node !== undefined && isLeaving(pass, node)) await renameThere(pass, node, transitName(node.id));
  else if (pass.direction.mode === 'both' && item.local !== undefined) {
    // A new name here would not count against the one that was given there.
    if (node !== undefined && item.remote !== undefined && keepsNameThere(pass, item))
      await setAsideThere(pass, item.remote, node.parent, item.local);
    else await setAside(pass, item.local);
  } else throw notPossible(`Something else has the name ${labelOf(pass, item)} at the server, perhaps in other case.`);
}

/** Whether only the folder comes from here, and the name from the server. */
function keepsNameThere(pass: Pass, item: Item): boolean {
  const decision = pass.decisions.get(item);
  return decision?.do === 'keep' && decision.remoteName === item.remote?.name;
}
