/** The data of a live event; each kind has some of these fields. */
export interface LiveDetail {
  chain_id?: number;
  case_id?: number;
  name?: string;
  writing?: 'reply' | 'note';
}

/** Announces a live event to all scripts of this page. */
export function sendLive(name: string, detail: LiveDetail = {}): void {
  document.dispatchEvent(new CustomEvent(`live:${name}`, { detail }));
}

/** Listens to live events of this name. */
export function onLive(name: string, listener: (detail: LiveDetail) => void): void {
  document.addEventListener(`live:${name}`, (event) => listener((event as CustomEvent<LiveDetail>).detail));
}
