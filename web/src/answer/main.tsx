/** The entry of the page behind a link to one question. */
import { render } from 'preact';
import '../styles/base.css';
import '../styles/parts.css';
import '../styles/content.css';
import '../styles/calls.css';
import './answer.css';
import { AnswerPage } from './answer-page.tsx';

const root = document.getElementById('app');
if (root) render(<AnswerPage token={location.hash.slice(1)} />, root);
// Another link opened in the same tab changes only the hash, so the page has to be reloaded.
addEventListener('hashchange', () => location.reload());
