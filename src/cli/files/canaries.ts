import { perform, type Caller } from '../../client/perform.ts';
import type { CanaryAction, CanaryBinding } from '../../contract/filevault/canaries.ts';
import { filevault } from '../../contract/filevault.ts';
import { Problem } from '../../base/problem.ts';
import { counted } from '../kit/counted.ts';
import { moment, type Screen } from '../kit/screen.ts';
import { table } from '../kit/table.ts';
import { parseRemotePath } from './paths.ts';
import { fileAt, placeAt } from './places.ts';

export function canaryTable(screen: Screen, bindings: readonly CanaryBinding[]): string {
  return table(screen, bindings, [
    { title: 'NAME', of: ({ name }) => name, main: true },
    { title: 'WHEN', of: whenText, whole: true },
    { title: 'STATE', of: ({ state }) => state, whole: true },
    { title: 'GOES OFF', of: ({ firesAt }) => (firesAt === undefined ? '-' : moment(screen, firesAt)), whole: true },
    { title: 'DOES', of: ({ actions }) => actions.map(({ type }) => type).join(', ') },
    { title: 'ID', of: ({ id }) => id, spare: true },
  ]);
}

function whenText({ condition, hours, fileIds }: CanaryBinding): string {
  if (condition === 'ABSENCE') return `absence of ${hours} h`;
  return condition === 'PRESENCE' ? `opening of ${counted(fileIds?.length ?? 0, 'file')}` : 'duress';
}

export interface ActionFlags {
  readonly notify?: readonly string[] | undefined;
  readonly message: string;
  readonly share?: readonly string[] | undefined;
  readonly destroy?: readonly string[] | undefined;
}

/** The actions that a person describes by options. @throws Problem invalid USAGE */
export async function actionsFrom(caller: Caller, flags: ActionFlags): Promise<CanaryAction[]> {
  const actions: CanaryAction[] = [];
  if (flags.notify !== undefined) actions.push({ type: 'notify', members: [...flags.notify], message: flags.message });
  for (const text of flags.share ?? []) {
    const [, path = '', member = ''] = /^(.*)=([^=]+)$/.exec(text) ?? [];
    if (member === '') throw usage(`${JSON.stringify(text)} says not who gets it. Write PATH=MEMBER.`);
    const { folder, file } = await placeAt(caller, parseRemotePath(path));
    const target =
      file === null
        ? ({ targetType: 'folder', targetId: folder.id } as const)
        : ({ targetType: 'file', targetId: file.id } as const);
    actions.push({ type: 'share', ...target, recipients: [member], level: 'viewer' });
  }
  if (flags.destroy !== undefined) actions.push({ type: 'destroy', fileIds: await filesAt(caller, flags.destroy) });
  if (actions.length > 0) return actions;
  throw usage('Say what it does: --notify, --share or --destroy.');
}

export async function filesAt(caller: Caller, paths: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const path of paths) ids.push((await fileAt(caller, parseRemotePath(path))).id);
  return ids;
}

/** A canary by its name or id. @throws Problem missing CANARY_NOT_FOUND */
export async function canaryNamed(caller: Caller, name: string): Promise<CanaryBinding> {
  const { bindings } = await perform(caller, filevault.listCanaries, { limit: 100 });
  const found = bindings.filter((one) => one.id === name.toLowerCase() || one.name === name.normalize('NFC'));
  const [one, ...others] = found;
  if (one !== undefined && others.length === 0) return one;
  const words =
    one === undefined ? `You have no canary ${JSON.stringify(name)}.` : 'Several have this name. Use an id.';
  throw new Problem('missing', 'CANARY_NOT_FOUND', words, {
    fields: bindings.slice(0, 10).map(({ id, name: message }) => ({ path: id, message })),
  });
}

function usage(message: string): Problem {
  return new Problem('invalid', 'USAGE', message);
}
