import { Controller, Get, Injectable, Module } from '@nestjs/common';
import { CoordinatedShutdownModule, Phase, ShutdownTask, type ShutdownReason } from '@roost/shutdown';
import { setTimeout as sleep } from 'node:timers/promises';

@Controller()
class HelloController {
  @Get()
  hello(): string {
    return 'Hello! Stop me with Ctrl+C.\n';
  }

  @ShutdownTask(Phase.ServiceUnbind)
  stopGreeting(reason: ShutdownReason): void {
    console.log(`No more greetings: ${String(reason)}.`);
  }
}

@Injectable()
class Journal {
  /** Everything a task needs is still there: Nest's own hooks run after all phases. */
  @ShutdownTask(Phase.BeforeActorSystemTerminate, { name: 'flush-journal', timeoutMs: 2_000 })
  async flush(): Promise<void> {
    await sleep(200);
    console.log('Journal flushed.');
  }

  onModuleDestroy(): void {
    console.log('Journal closed.');
  }
}

@Module({
  imports: [CoordinatedShutdownModule.forRoot()],
  controllers: [HelloController],
  providers: [Journal],
})
export class AppModule {}
