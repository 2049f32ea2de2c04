import { concatMap, EMPTY, Subject } from 'rxjs';
import type { Asker, Contender, Message, Receiver } from '../contender.js';

interface Question {
  readonly value: number;
  readonly resolve: (answer: number) => void;
}

class SubjectReceiver implements Receiver {
  constructor(private readonly messages: Subject<Message>) {}

  tell(message: Message): void {
    this.messages.next(message);
  }
}

/** There is no built-in reply, so the question carries a function. */
class SubjectAsker implements Asker {
  constructor(private readonly questions: Subject<Question>) {}

  ask(value: number): Promise<number> {
    return new Promise((resolve) => this.questions.next({ value, resolve }));
  }
}

const handled = <M>(handle: (message: M) => void): Subject<M> => {
  const subject = new Subject<M>();
  const inOrder = concatMap((message: M) => {
    handle(message);
    return EMPTY;
  });
  subject.pipe(inOrder).subscribe();
  return subject;
};

export const contender: Contender = {
  // It shifts an array, which takes longer the more messages are waiting.
  share: 0.1,
  spawn: (count, handle) => Array.from({ length: count }, () => new SubjectReceiver(handled(handle))),
  spawnAsync: (handle) => {
    const messages = new Subject<Message>();
    messages.pipe(concatMap(handle)).subscribe();
    return new SubjectReceiver(messages);
  },
  spawnAsker: (answer) => new SubjectAsker(handled<Question>(({ value, resolve }) => resolve(answer(value)))),
};
