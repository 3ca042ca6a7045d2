package dev.ouro.view.base

import javax.swing.AbstractButton
import javax.swing.Action
import javax.swing.JLabel

/** A text of the bundle with its mnemonic: `&Start` or `开始(&S)`. `&&` is the character. */
internal class Labelled(marked: String) {
    val text: String
    val mnemonic: Char?
    val index: Int

    init {
        val at = Regex("&([^&])").find(marked.replace("&&", "\u0000\u0000"))?.range?.first ?: -1
        text = (if (at < 0) marked else marked.removeRange(at, at + 1)).replace("&&", "&")
        mnemonic = if (at < 0) null else marked[at + 1].uppercaseChar()
        index = at
    }
}

/** Sets text and mnemonic. */
internal fun AbstractButton.label(marked: String) {
    val labelled = Labelled(marked)
    text = labelled.text
    labelled.mnemonic?.let {
        setMnemonic(it)
        displayedMnemonicIndex = labelled.index
    }
}

/** Sets text and mnemonic. */
internal fun JLabel.label(marked: String) {
    val labelled = Labelled(marked)
    text = labelled.text
    labelled.mnemonic?.let {
        setDisplayedMnemonic(it)
        displayedMnemonicIndex = labelled.index
    }
}

/** Sets name and mnemonic. */
internal fun Action.label(marked: String) {
    val labelled = Labelled(marked)
    putValue(Action.NAME, labelled.text)
    labelled.mnemonic?.let {
        putValue(Action.MNEMONIC_KEY, it.code)
        putValue(Action.DISPLAYED_MNEMONIC_INDEX_KEY, labelled.index)
    }
}
