import './ui/font.css';
import './ui/tokens.css';
import './ui/page.css';
import './lib/sign-on-code.ts';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { RouterProvider } from 'react-router/dom';
import { loadEnvironment } from './lib/environment.ts';
import { router } from './shell/router.tsx';
import { followColorScheme } from './ui/color-scheme.ts';

void loadEnvironment();
followColorScheme();

const root = document.getElementById('root');
if (root === null) throw new Error('Impossible: the page has no #root');
createRoot(root).render(
  <StrictMode>
    {/* Inputs that are part of the URL must change with each key. */}
    <RouterProvider router={router} useTransitions={false} />
  </StrictMode>,
);
