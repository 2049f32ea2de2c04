import { setMaxListeners } from 'node:events';

/** Lets many users share a signal. Otherwise Node warns about a leak from the eleventh listener on. */
export function manyListeners(controller: AbortController): AbortController {
  setMaxListeners(0, controller.signal);
  return controller;
}
