/** `html` escapes every `${value}`; `!${markup}` places what another `html` made. */
export { html } from 'ghtml';
