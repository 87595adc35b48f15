/** The parts of page.html that change. */
export interface Elements {
  readonly card: HTMLElement;
  readonly host: HTMLElement;
  readonly icon: SVGUseElement;
  readonly title: HTMLElement;
  readonly about: HTMLElement;
  readonly until: HTMLElement;
  readonly alert: HTMLElement;
  readonly status: HTMLElement;
  readonly passwordForm: HTMLFormElement;
  readonly password: HTMLInputElement;
  readonly keyForm: HTMLFormElement;
  readonly key: HTMLInputElement;
  readonly transfer: HTMLElement;
  readonly progress: HTMLProgressElement;
  readonly done: HTMLElement;
  readonly pace: HTMLElement;
  readonly download: HTMLButtonElement;
  readonly cancel: HTMLButtonElement;
  readonly again: HTMLButtonElement;
  readonly protection: HTMLElement;
  readonly protectionText: HTMLElement;
}

/** @throws Error if the page is not the one that belongs to this script */
export function elementsOf(page: Document): Elements {
  const of = <T extends Element>(id: string): T => {
    const found = page.querySelector<T>(`#${id}`);
    if (found === null) throw new Error(`the page has no ${id}`);
    return found;
  };
  return {
    card: of('card'),
    host: of('host'),
    icon: of('icon'),
    title: of('title'),
    about: of('about'),
    until: of('until'),
    alert: of('alert'),
    status: of('status'),
    passwordForm: of('password-form'),
    password: of('password'),
    keyForm: of('key-form'),
    key: of('key'),
    transfer: of('transfer'),
    progress: of('progress'),
    done: of('done'),
    pace: of('pace'),
    download: of('download'),
    cancel: of('cancel'),
    again: of('again'),
    protection: of('protection'),
    protectionText: of('protection-text'),
  };
}
