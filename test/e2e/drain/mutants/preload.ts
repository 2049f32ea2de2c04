/** For `node --import <this file>?mutant=<name>`. */
import { type Mutant, MUTANTS } from './mutants.js';

const name = new URL(import.meta.url).searchParams.get('mutant') ?? '';
if (!Object.hasOwn(MUTANTS, name)) throw new Error(`there is no mutant "${name}"`);
await MUTANTS[name as Mutant]();
