import { downloadName } from './download-name.ts';
import { failedOf, LinkFailure, type Failed } from './failure.ts';
import { addressOfLink, askAbout, type LinkInfo } from './link-api.ts';
import { fromBase64Text, type Octets } from './octets.ts';
import { openContent, type Opened } from './opening.ts';
import { readRecipientKey } from './recipient-key.ts';
import { saverFor, type Saver, type Saving } from './saving.ts';
import { speedometer } from './speed.ts';
import type { Told } from './transfer.ts';
import { openView } from './view.ts';

const view = openView(document);
const { elements } = view;

/** What is known of the link by now. */
interface Known {
  readonly link: string;
  /** what stood behind the # */
  readonly fragment: string;
  password?: string | undefined;
  info?: LinkInfo;
  opened?: Opened | undefined;
  saver?: Saver;
  grant?: string | undefined;
  saving?: Saving | undefined;
}

let known = begin();

/** The fragment is read once. It leaves the address bar and the history, where others could see it, and goes nowhere. */
function begin(): Known {
  const fragment = location.hash.slice(1);
  history.replaceState(history.state, '', location.pathname + location.search);
  const token = decoded(location.pathname.split('/').at(-1) ?? '');
  return { link: addressOfLink(location.href, token), fragment };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

async function look(): Promise<void> {
  try {
    if (!isSecureContext) throw new LinkFailure('insecure');
    known.info = await askAbout(known.link, known.password);
    known.saver ??= await saverFor(known.info.sizeBytes);
    await unlock(known.info);
  } catch (error) {
    const failed = failedOf(error);
    if (failed.kind === 'password-required' || failed.kind === 'password-wrong') view.askPassword(failed);
    // Somebody who mistyped a password too often keeps the form.
    else if (failed.kind === 'too-many' && known.info === undefined && known.password !== undefined)
      view.askPassword(failed);
    else view.failed(failed, known.info);
  }
}

async function unlock(info: LinkInfo): Promise<void> {
  if (info.mode === 'recipient_public_key' && known.opened === undefined) {
    view.askKey(info, undefined);
    return;
  }
  if (info.mode === 'ephemeral_key_pair' && known.opened === undefined)
    known.opened = await openContent(info, keyOfFragment(known.fragment), 'key-wrong');
  view.ready(info);
}

/** @throws LinkFailure */
function keyOfFragment(fragment: string): Octets {
  if (fragment === '') throw new LinkFailure('key-missing');
  const key = /^[A-Za-z0-9_-]{43}$/.test(fragment) ? fromBase64Text(fragment) : undefined;
  if (key?.length !== 32) throw new LinkFailure('key-wrong');
  return key;
}

function download(): void {
  const { info, saver, link, password, opened, grant } = known;
  if (info === undefined || saver === undefined) return;
  view.preparing(info);
  const speed = speedometer();
  const wanted = {
    url: `${link}/content`,
    password,
    name: downloadName(info.fileName),
    size: info.sizeBytes,
    sent: info.mode === 'server_proxied' ? info.sizeBytes : info.sealedBytes,
    opened,
    grant,
  };
  const own = known;
  own.saving = saver.save(wanted, (told) => heard(own, info, told, speed));
}

function heard(own: Known, info: LinkInfo, told: Told, speed: ReturnType<typeof speedometer>): void {
  own.grant = told.grant ?? own.grant;
  if (own !== known || own.saving === undefined) return;
  if (told.state === 'failed' || told.state === 'done') own.saving = undefined;
  if (told.state === 'failed' || told.state === 'done') removeEventListener('beforeunload', warn);
  // Not before: the download begins with a navigation, which would ask as well.
  if (told.state === 'taken') addEventListener('beforeunload', warn);
  if (told.state === 'done') view.done(info);
  else if (told.state === 'failed') ended(info, told.failed ?? { kind: 'server' });
  else if (told.state === 'moving' || told.state === 'waiting')
    view.moving({
      done: told.done,
      total: info.sizeBytes,
      speed: speed(told.done, performance.now()),
      isWaiting: told.state === 'waiting',
    });
}

function ended(info: LinkInfo, failed: Failed): void {
  if (failed.kind === 'cancelled') view.ready(info, failed);
  else view.failed(failed, info);
}

/** A page that is closed ends its download. Browsers show words of their own. */
function warn(event: BeforeUnloadEvent): void {
  event.preventDefault();
}

elements.host.textContent = location.host;
elements.passwordForm.addEventListener('submit', (event) => {
  event.preventDefault();
  known.password = elements.password.value;
  busy(elements.passwordForm);
  void look();
});
elements.keyForm.addEventListener('submit', (event) => {
  event.preventDefault();
  const text = elements.key.value;
  busy(elements.keyForm);
  void enter(text);
});
elements.download.addEventListener('click', download);
elements.cancel.addEventListener('click', () => known.saving?.cancel());
elements.again.addEventListener('click', () => {
  // A link that may be used once is known no more to the server, but its grant goes on.
  if (known.grant !== undefined) return download();
  view.loading();
  return void look();
});
for (const show of document.querySelectorAll<HTMLButtonElement>('.show'))
  show.addEventListener('click', () => {
    const input = document.querySelector<HTMLInputElement>(`#${show.dataset['for'] ?? ''}`);
    if (input === null) return;
    const isShown = input.type === 'text';
    input.type = isShown ? 'password' : 'text';
    show.setAttribute('aria-pressed', String(!isShown));
  });
// The whole link, put into the address bar of a page that is open already.
addEventListener('hashchange', () => {
  if (location.hash === '' || known.saving !== undefined) return;
  known = begin();
  view.loading();
  void look();
});

async function enter(text: string): Promise<void> {
  const { info } = known;
  if (info === undefined) return;
  try {
    const key = await readRecipientKey(text);
    if (key === undefined) throw new LinkFailure('entered-no-key');
    known.opened = await openContent(info, key, 'entered-other-key');
    view.ready(info);
  } catch (error) {
    const failed = failedOf(error);
    if (failed.kind.startsWith('entered-')) view.askKey(info, failed);
    else view.failed(failed, info);
  }
}

function busy(form: HTMLFormElement): void {
  for (const one of form.querySelectorAll<HTMLInputElement | HTMLButtonElement>('input, button')) one.disabled = true;
}

view.loading();
void look();
