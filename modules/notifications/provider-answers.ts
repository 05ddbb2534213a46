/** An address below a provider's base address, whose own path is kept: many stand behind a gateway. */
export function below(baseUrl: string, path: string): string {
  return `${baseUrl.replace(/\/+$/, '')}${path}`;
}

/**
 * What a provider has answered, as staff read it: who, where, and the status or what came instead. Never what was sent or
 * answered, which may hold a secret; of the address the host alone.
 */
export function answerWords(provider: string, address: string, answer: unknown): string {
  const host = URL.canParse(address) ? new URL(address).host : '';
  const isWord = typeof answer === 'number' || (typeof answer === 'string' && /^[A-Z_]{1,40}$/.test(answer));
  return `${provider}${host === '' ? '' : ` at ${host}`} answered ${isWord ? answer : 'nothing'}.`;
}
