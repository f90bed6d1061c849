import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import type { HoldfastServer } from '../../index.ts';
import { PIXEL_PNG, SILENCE_WAV } from './sample-media.ts';

const image = { type: 'image', data: PIXEL_PNG, mimeType: 'image/png' };

/** Tools that answer at once, with content of every kind. */
export function addContentTools(server: HoldfastServer): void {
  server
    .tool('test_simple_text', {
      description: 'Returns a text',
      task: 'never',
      run: () => 'This is a simple text response for testing.',
    })
    .tool('test_image_content', { description: 'Returns an image', task: 'never', run: () => [image] })
    .tool('test_audio_content', {
      description: 'Returns a sound',
      task: 'never',
      run: () => [{ type: 'audio', data: SILENCE_WAV, mimeType: 'audio/wav' }],
    })
    .tool('test_embedded_resource', {
      description: 'Returns an embedded resource',
      task: 'never',
      run: () => [toEmbedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
    })
    .tool('test_multiple_content_types', {
      description: 'Returns a text, an image and a resource',
      task: 'never',
      run: () => [
        { type: 'text', text: 'Multiple content types test:' },
        image,
        toEmbedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
      ],
    })
    .tool('test_error_handling', {
      description: 'Always fails',
      task: 'never',
      run: () => {
        throw new Error('This tool intentionally returns an error for testing');
      },
    })
    .tool('add', {
      description: 'Adds two numbers, as structured content',
      input: z.object({ a: z.number(), b: z.number() }),
      output: z.object({ sum: z.number() }),
      task: 'never',
      run: ({ a, b }) => ({ sum: a + b }),
    });
  addSchemaTools(server);
  addReportingTools(server);
}

function toEmbedded(uri: string, mimeType: string, text: string) {
  return { type: 'resource', resource: { uri, mimeType, text } };
}

function addSchemaTools(server: HoldfastServer): void {
  server
    .tool('json_schema_2020_12_tool', {
      description: 'Takes arguments that only JSON Schema 2020-12 can describe',
      input: {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        $defs: {
          address: {
            $anchor: 'addressDef',
            type: 'object',
            properties: { street: { type: 'string' }, city: { type: 'string' } },
          },
        },
        properties: {
          name: { type: 'string' },
          address: { $ref: '#/$defs/address' },
          contactMethod: { type: 'string', enum: ['phone', 'email'] },
          phone: { type: 'string' },
          email: { type: 'string' },
        },
        allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
        if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
        then: { required: ['phone'] },
        else: { required: ['email'] },
        additionalProperties: false,
      },
      task: 'never',
      run: (args) => JSON.stringify(args),
    })
    .tool('routed', {
      description: 'Repeats its region, which HTTP clients also send as a header',
      input: {
        type: 'object',
        properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
        required: ['region'],
      },
      task: 'never',
      run: ({ region }) => `region: ${String(region)}`,
    });
}

const STEP_MS = 50;

function addReportingTools(server: HoldfastServer): void {
  server
    .tool('test_tool_with_logging', {
      description: 'Logs while it works',
      async run(_args, task) {
        await task.log('info', 'Tool execution started');
        await pause(STEP_MS);
        await task.log('info', 'Tool processing data');
        await pause(STEP_MS);
        await task.log('info', 'Tool execution completed');
        return 'logged three lines';
      },
    })
    .tool('test_logging_tool', {
      description: 'Logs one line, as a tool that never becomes a task',
      task: 'never',
      async run(_args, task) {
        await task.log('info', 'a line for whoever asked for it');
        return 'logged one line';
      },
    })
    .tool('test_tool_with_progress', {
      description: 'Reports progress while it works',
      async run(_args, task) {
        for (const percent of [0, 50, 100]) {
          await task.progress(percent / 100, `${percent} of 100`);
          if (percent < 100) await pause(STEP_MS);
        }
        return 'reported progress three times';
      },
    });
}
