import { render } from 'preact';
import './styles/base.css';
import './styles/parts.css';
import './styles/content.css';
import './styles/shell.css';
import './styles/calls.css';
import './styles/tasks.css';
import './styles/panels.css';
import './styles/wire.css';
import './styles/narrow.css';
import { live } from './live/live.ts';
import { App } from './shell/app.tsx';

const root = document.getElementById('app');
if (root) render(<App />, root);
void live.open();
